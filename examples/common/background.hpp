// Work that may take long (a polite end of the command takes seconds), done one after the other on a thread of its own.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace common {

/// Runs one function again whenever it is asked to. Thread-safe.
class Background {
public:
    explicit Background(std::function<void()> work) : work_(std::move(work)), thread_([this] { loop(); }) {}
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;
    ~Background() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            stopped_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }

    /// Runs the function once more, soon. Asking twice before it begins asks once.
    void request() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            requested_ = true;
        }
        changed_.notify_one();
    }

    /// Whether the function runs or is about to.
    [[nodiscard]] bool busy() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return requested_ || running_;
    }

private:
    void loop() {
        std::unique_lock<std::mutex> lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return requested_ || stopped_; });
            if (stopped_) return;
            requested_ = false;
            running_ = true;
            lock.unlock();
            work_();
            lock.lock();
            running_ = false;
        }
    }

    std::function<void()> work_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool requested_ = false;
    bool running_ = false;
    bool stopped_ = false;
    std::thread thread_;
};

}  // namespace common
